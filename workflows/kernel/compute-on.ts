import { COMPUTE, COMPUTE_IN_TURNS } from './policies.ts'

/** Returns the times of work that computes on some terms. Where it is not known whether it takes turns, they are the longest. */
export function computeOn({ takesTurns = true }: { readonly takesTurns?: boolean | undefined }) {
  return takesTurns ? COMPUTE_IN_TURNS : COMPUTE
}
