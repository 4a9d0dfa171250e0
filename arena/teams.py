"""Teams as text: which agents, with which options, and how they are found and made."""
