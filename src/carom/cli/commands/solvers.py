"""`carom solvers`: the solvers and integrators."""

from carom.cli.terminal import output, show_table, table
from carom.solvers.registry import CARDS
from carom.solvers.stepped.integrators.amplification import stable_oscillation
from carom.solvers.stepped.integrators.cards import INTEGRATORS


def show_all() -> int:
    """Print the solvers, and the integrators of the stepped solver."""
    console = output()
    for card in CARDS.values():
        console.print(f"{card.name}: {card.title}")
        console.print(f"  advances {card.advances}")
        for line in card.solves:
            console.print(f"  can: {line}")
        for line in card.cannot:
            console.print(f"  cannot: {line}")
        console.print(f"  cost: {card.cost}\n")
    console.print("Integrators of the stepped solver:")
    rows = table("name", "order", "symplectic", "forces per step", "ω dt up to", "equation")
    for one in INTEGRATORS.values():
        symplectic, stable = "yes" if one.symplectic else "no", f"{stable_oscillation(one):.3g}"
        rows.add_row(one.name, str(one.order), symplectic, str(one.evaluations), stable, one.equation)
    show_table(rows)
    return 0
