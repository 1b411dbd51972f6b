/** Ways to make the interval of a figure. */
export const INTERVAL_METHODS = ['wilson', 'clustered', 'normal', 'bootstrap'] as const
