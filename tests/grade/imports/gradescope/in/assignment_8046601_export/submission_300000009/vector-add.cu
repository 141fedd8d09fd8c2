// not in the metadata
