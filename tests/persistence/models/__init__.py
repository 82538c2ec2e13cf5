"""Model files of each version, with what they predicted in their cards."""
