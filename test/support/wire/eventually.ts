/** Longer than any work of the tests takes on an idle machine by far: other work may have taken its cores. */
const PATIENCE_MS = 90_000

/** Repeats an expectation until it holds, for 90 seconds. Throws its last error. */
export async function eventually(expectation: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      await expectation()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
