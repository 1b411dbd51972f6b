/** Longest path that a request may name, characters. */
export const MOST_PATH_CHARS = 2048
