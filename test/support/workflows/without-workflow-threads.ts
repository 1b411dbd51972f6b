/** Environment variable by which Temporal's SDK runs workflow code without threads. */
const SDK_DEBUG = 'TEMPORAL_DEBUG'

/**
 * Starts workers whose workflow code runs in this thread, as in a replay: the threads of each new worker would load the SDK
 * again, a quarter of a second of processor time for each test file. Worker processes of tests have the threads of production.
 */
export async function withoutWorkflowThreads<T>(start: () => Promise<T>): Promise<T> {
  process.env[SDK_DEBUG] = '1'
  try {
    return await start()
  } finally {
    // Processes that tests start do not inherit it.
    delete process.env[SDK_DEBUG]
  }
}
