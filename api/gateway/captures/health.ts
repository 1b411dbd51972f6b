import { CaptureHealthAnswer } from '../../../core/gateway/wire/captures/reads.ts'
import { isStoreReachable } from '../../../db/gateway/captures/recording/probe.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { THRESHOLDS } from './recording/record.ts'
import { streamsOf } from './stream.ts'

export const getCaptureHealthRoute = defineRoute({
  method: 'get',
  path: '/v1/capture/health',
  operationId: 'getCaptureHealth',
  group: 'captures',
  summary: 'Show the state of the store of captures',
  description: 'Whether captures are stored durably now, and what waits on the disk of this process for the database.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['capture:write', 'lake:read'],
  namespace: 'none: it shows the store, and no capture',
  answers: {
    200: bareDocument('The store takes captures', CaptureHealthAnswer),
    503: bareDocument('The database cannot be reached', CaptureHealthAnswer),
  },
}).handle(async ({ op, services }) => {
  const isReachable = await isStoreReachable(op)
  const { spilledBytes, lost } = services.captures.figures()
  return {
    status: isReachable ? 200 : 503,
    body: {
      ok: isReachable,
      driver: 'postgres',
      durable: isReachable,
      subscriber_count: services.streams.count(streamsOf(op.tenantId)),
      thresholds: [...THRESHOLDS],
      spilled_bytes: spilledBytes,
      lost,
    },
  }
})
