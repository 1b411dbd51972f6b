/** How many samples of each kind a compile takes; the workers use the same number. */
export const DEFAULT_K = 8
