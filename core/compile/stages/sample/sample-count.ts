/** How many samples of each kind a compile records when nobody says. */
export const DEFAULT_K = 8
/** How many samples of one kind are asked for at most. */
export const MAX_K = 16
