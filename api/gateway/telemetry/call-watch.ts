import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import type { Logger } from '../../../config/logger.ts'

/** Learns of finished calls: metrics and traces. */
export interface CallWatch {
  /** `traceParent` is the caller's header `traceparent` (W3C Trace Context). It does not throw. */
  callEnded(record: CallRecord, traceParent?: string): void
}

/** A watch of several: the fault of one is logged and disturbs neither the call nor the others. */
export function watchTogether(watches: readonly CallWatch[], log: Pick<Logger, 'error'>): CallWatch {
  return {
    callEnded(record, traceParent) {
      for (const watch of watches) {
        try {
          watch.callEnded(record, traceParent)
        } catch (error) {
          log.error({ err: error, request_id: record.requestId }, 'a call was not counted')
        }
      }
    },
  }
}
