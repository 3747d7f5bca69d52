"""Building blocks of pages: elements of HTML with accessible names, icons, buttons, fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

Handler = Callable[[], Any]

_ICONS = {
    "menu": "M4 7h16M4 12h16M4 17h16",
    "undo": "M9 7 4.5 11.5 9 16M5 11.5h9a5 5 0 0 1 0 10h-2",
    "redo": "M15 7l4.5 4.5L15 16M19 11.5h-9a5 5 0 0 0 0 10h2",
    "theme": "M12 3.5a8.5 8.5 0 1 0 0 17zM12 3.5a8.5 8.5 0 0 1 0 17",
    "help": "M9.2 9.2a2.9 2.9 0 1 1 4.3 2.5c-.9.5-1.5 1.1-1.5 2.3M12 17.4v.1"
    "M12 3.2a8.8 8.8 0 1 0 0 17.6 8.8 8.8 0 0 0 0-17.6",
    "panel": "M4 5h16v14H4zM14.5 5v14",
    "restart": "M6 5v14M19 5.5v13L9 12z",
    "back": "M11 6v12l-8-6zM21 6v12l-8-6z",
    "forward": "M3 6v12l8-6zM13 6v12l8-6z",
    "step": "M6 6v12l8-6zM18 6v12",
    "run": "M7 4.5v15l12-7.5z",
    "pause": "M8 5v14M16 5v14",
    "to-end": "M5 6v12l8-6zM13 6v12l8-6z",
    "add": "M12 5v14M5 12h14",
    "copy": "M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4",
    "remove": "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.3 10.5v5.5M13.7 10.5v5.5",
    "previous": "M14.5 6 8.5 12l6 6",
    "next": "M9.5 6l6 6-6 6",
    "close": "M6 6l12 12M18 6 6 18",
    "search": "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.3 15.3 20 20",
    "file": "M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5",
    "sliders": "M5 4v8M5 16v4M12 4v3M12 11v9M19 4v10M19 18v2M3 12h4M10 11h4M17 14h4",
    "fit": "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
    "closer": "M12 6v12M6 12h12",
    "farther": "M6 12h12",
    "download": "M12 4v11M7 10.5l5 5 5-5M5 20h14",
    "home": "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
    "share": "M9.5 14.5l5-5M10.5 7.5 13 5a4.2 4.2 0 0 1 6 6l-2.5 2.5M13.5 16.5 11 19a4.2 4.2 0 0 1-6-6l2.5-2.5",
    "options": "M5 7h8M17 7h2M5 12h2M11 12h8M5 17h8M17 17h2M15 5v4M9 10v4M15 15v4",
    "picture": "M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 8.8v.1",
    "video": "M4 7h11v10H4zM15 11l5-3v8l-5-3",
    "table": "M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9",
}
_FILLED = {"run", "back", "forward"}


def tag(name: str, text: str = "", /, classes: str = "", **attributes: Any) -> Element:
    """An element; `aria_label` means aria-label. Attributes that are None are omitted."""
    made = TextElement(tag=name, text=text) if text else Element(name)
    if classes:
        made.classes(classes)
    for key, value in attributes.items():
        if value is not None:
            made.props[key.rstrip("_").replace("_", "-")] = value
    return made


def icon(name: str) -> Element:
    """An icon, hidden from screen readers."""
    fill = "currentColor" if name in _FILLED else "none"
    svg = (
        f'<svg viewBox="0 0 24 24" width="20" height="20" fill="{fill}" stroke="currentColor" stroke-width="1.75" '
        f'stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="{_ICONS[name]}"/></svg>'
    )
    return ui.html(svg, sanitize=False, tag="span").classes("icon")


def button(
    text: str,
    press: Handler | None = None,
    *,
    icon_name: str | None = None,
    script: str | None = None,
    classes: str = "",
    bare: bool = False,
    **attributes: Any,
) -> Element:
    """A button with a text and an icon; `bare` shows only the icon, with the text as accessible name."""
    made = tag("button", classes=f"button {classes}", type="button", **attributes)
    if bare:
        made.props["aria-label"] = text
        made.props["title"] = text
        made.classes("bare")
    with made:
        if icon_name:
            icon(icon_name)
        if not bare:
            tag("span", text)
    if press is not None:
        made.on("click", lambda _: press(), args=[])
    if script is not None:
        made.on("click", js_handler=f"() => {{ {script} }}")
    return made


def field(
    label: str,
    *,
    key: str,
    change: Callable[[str], Any] | None = None,
    unit: str = "",
    value: str = "",
    kind: str = "text",
    hidden_label: bool = False,
    classes: str = "",
    **attributes: Any,
) -> Element:
    """An input field with its unit, and a line for errors. `key` is its name for `LiveTexts`."""
    identity = f"field-{key.replace('.', '-')}"
    with tag("label", classes=f"field {classes}", for_=identity) as whole:
        tag("span", label, classes="sr" if hidden_label else "field-label")
        with tag("span", classes="field-box"):
            box = tag(
                "input",
                id=identity,
                type=kind,
                data_live=key,
                autocomplete="off",
                spellcheck="false",
                aria_describedby=f"{identity}-wrong",
                **attributes,
            )
            if kind == "text":
                box.props["inputmode"] = attributes.get("inputmode", "decimal")
            if value:
                box.props["value"] = value
            if unit:
                box.style(f"padding-right: calc({len(unit)}ch + 14px)")
                tag("span", unit, classes="unit", aria_hidden="true")
        tag("span", classes="wrong", id=f"{identity}-wrong", role="alert", data_wrong=key)
    if change is not None:
        box.on("change", lambda event: change(text_of(event)), js_handler="(e) => emit(e.target.value)")
    return whole


def choice(
    label: str,
    options: dict[str, str],
    *,
    key: str,
    value: str = "",
    change: Callable[[str], Any] | None = None,
    script: str | None = None,
    hidden_label: bool = False,
    classes: str = "",
) -> Element:
    """A choice of one option, given by values and texts."""
    identity = f"field-{key.replace('.', '-')}"
    with tag("label", classes=f"field {classes}", for_=identity) as whole:
        tag("span", label, classes="sr" if hidden_label else "field-label")
        with tag("span", classes="field-box select"):
            box = tag("select", id=identity, data_live=key)
            with box:
                for option, words in options.items():
                    tag("option", words, value=option, selected="" if option == value else None)
        tag("span", classes="wrong", role="alert", data_wrong=key)
    if change is not None:
        box.on("change", lambda event: change(text_of(event)), js_handler="(e) => emit(e.target.value)")
    if script is not None:
        box.on("change", js_handler=f"(e) => {{ const value = e.target.value; {script} }}")
    return whole


def switch(
    label: str,
    *,
    key: str,
    on: bool = False,
    change: Callable[[bool], Any] | None = None,
    script: str | None = None,
) -> Element:
    """A switch: on or off."""
    with tag("label", classes="switch") as whole:
        box = tag("input", type="checkbox", role="switch", data_live=key, checked="" if on else None)
        tag("span", classes="switch-track", aria_hidden="true")
        tag("span", label)
    if change is not None:
        box.on(
            "change", lambda event: change(text_of(event) == "true"), js_handler="(e) => emit(String(e.target.checked))"
        )
    if script is not None:
        box.on("change", js_handler=f"(e) => {{ const on = e.target.checked; {script} }}")
    return whole


def reading(label: str, key: str, *, classes: str = "") -> Element:
    """A read-only number."""
    with tag("div", classes=f"reading {classes}", data_row=key) as whole:
        tag("dt", label)
        tag("dd", classes="number", data_live=key)
    return whole


def text_of(event: GenericEventArguments) -> str:
    """An event's argument as text; empty if it is not a text."""
    told = event.args[0] if isinstance(event.args, list) and event.args else event.args
    return str(told) if isinstance(told, str | int | float) else ""


def json_of(event: GenericEventArguments) -> Any:
    """Parse an event's argument as JSON; None if invalid."""
    try:
        return json.loads(text_of(event))
    except (ValueError, RecursionError):
        return None
