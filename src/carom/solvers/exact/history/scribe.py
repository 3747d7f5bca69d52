"""Who writes down what a run goes through, for the histories that listen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.exact.history.history import History, Page
from carom.solvers.exact.history.notes import note_record
from carom.solvers.exact.state import LEAST_PAGE, PAGE

if TYPE_CHECKING:
    from carom.solvers.exact.run import Run

NO_NOTES = np.zeros(0, note_record)


class Scribe:
    """The page that the events of a run are written on, and the histories that it belongs to.

    They are of one run: neither a copy of it nor a pickle has them.
    """

    def __init__(self) -> None:
        self.histories: tuple[History, ...] = ()
        self.page: Page | None = None

    def __reduce__(self) -> Any:
        """A copy, or a pickle, begins without histories."""
        return Scribe, ()

    @property
    def notes(self) -> NDArray[Any]:
        """Where kernels write events down."""
        return self.page.notes if self.page else NO_NOTES

    def remember(self, run: Run, history: History) -> None:
        """Write down in a history, from now on, all that happens."""
        self.histories = (*self.histories, history)
        self.turn_page(run, run.time)
        self.tell(run, run.time)

    def forget(self, run: Run, history: History) -> None:
        """Write nothing down in it any more."""
        self.histories = tuple(each for each in self.histories if each is not history)
        if not self.histories:
            self.stop(run)

    def stop(self, run: Run) -> None:
        """Write nothing down any more."""
        self.histories, self.page = (), None
        run.clock["noted"] = -1

    def turn_page(self, run: Run, since: float = -np.inf) -> None:
        """Begin a new page of all histories with the present state; it counts from a time, or where the last ends."""
        if not self.histories:
            return
        room = max(PAGE * run.balls.size, LEAST_PAGE)
        self.page = Page(run.state(), np.empty(room, note_record), since)
        run.clock["noted"] = 0
        for history in self.histories:
            history.add(self.page)

    def tell(self, run: Run, until: float) -> None:
        """Tell the histories how far the run has come: to a time, or, if that is infinite, to its last event."""
        if self.page:
            self.page.count = int(run.clock["noted"][0])
            for history in self.histories:
                history.reaches(until if np.isfinite(until) else run.time)
