/** Longer than any work of the tests takes on an idle machine by far: other work may have taken its cores. */
const PATIENCE_MS = 90_000

/** Milliseconds between two attempts: few at first, more the longer it takes, since each attempt takes a core. */
const SHORTEST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 100
/** The pause as a part of the time that has passed. */
const PAUSE_SHARE = 0.05

/** Repeats an expectation until it holds, for 90 seconds. Throws its last error. */
export async function eventually(expectation: () => Promise<unknown>): Promise<void> {
  const startedAt = Date.now()
  for (;;) {
    try {
      await expectation()
      return
    } catch (error) {
      const waitedMs = Date.now() - startedAt
      if (waitedMs > PATIENCE_MS) throw error
      const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waitedMs * PAUSE_SHARE))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
