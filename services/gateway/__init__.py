"""The gateway: the page, its JSON API, and one WebSocket per player (docs/socket.md). It keeps nothing."""
