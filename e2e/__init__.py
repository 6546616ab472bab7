"""The browser journeys: the portal as its subscribers and operators meet it."""
