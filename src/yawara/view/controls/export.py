"""Files for the user: made here, saved by the browser. Nothing that the page sends is ever used as a path."""

from typing import Any

import viser

from yawara.view.desk import Desk


class ExportControls:
    """One button per kind."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        if not desk.session.export_kinds:
            return
        gui = desk.server.gui
        kinds = {kind.upper() if len(kind) <= 3 else kind: kind for kind in desk.session.export_kinds}
        with gui.add_folder("Save", expand_by_default=False):
            buttons = gui.add_button_group(
                "Save as", tuple(kinds), hint="The bodies as they are now, the curves, or the recording"
            )

        async def save(event: Any) -> None:  # looking is free for all, and so is taking home what one sees
            kind = kinds.get(event.target.value)
            if kind is not None and event.client is not None:
                desk.later(self._save, event.client, kind)

        buttons.on_click(save)

    def _save(self, client: viser.ClientHandle, kind: str) -> None:
        try:
            name, content = self._desk.session.export(kind)
        except (OSError, ValueError) as problem:
            self._desk.tell(client.client_id, f"Nothing saved: {problem}")
            return
        client.send_file_download(name, content, save_immediately=True)
