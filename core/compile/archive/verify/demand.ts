/** A failed check; the message states the finding. */
class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
}

/** Fails with the message unless the claim holds. */
export function demand(claim: boolean, message: string): asserts claim {
  if (!claim) throw new CheckFailure(message)
}
