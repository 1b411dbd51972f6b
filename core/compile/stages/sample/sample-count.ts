/** Default number of samples that a compile records of each kind. */
export const DEFAULT_K = 8
/** Maximum number of samples of one kind. */
export const MAX_K = 16
