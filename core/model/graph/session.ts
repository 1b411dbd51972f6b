import { InferenceSession } from 'onnxruntime-node'

export interface SessionSettings {
  /** Threads that one operator may use. */
  readonly threads: number
  /**
   * Whether idle threads spin while they wait for work. Off by default: it gains a few percent on an idle machine and
   * costs far more on a busy one, where the spinning threads occupy the cores.
   */
  readonly spinning?: boolean
}

/**
 * Opens a session with the settings that measurements favour: the memory pattern off (its block would come on top of
 * the arena), the arena on, every optimisation on.
 */
export async function openSession(model: Uint8Array, settings: SessionSettings): Promise<InferenceSession> {
  return await InferenceSession.create(model, {
    executionProviders: ['cpu'],
    intraOpNumThreads: settings.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    enableCpuMemArena: true,
    enableMemPattern: false,
    logSeverityLevel: 3,
    // The runtime reads these as text.
    extra: {
      session: {
        intra_op: { allow_spinning: settings.spinning === true ? '1' : '0' },
        force_spinning_stop: '1',
      },
    },
  })
}
