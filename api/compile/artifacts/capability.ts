import { checkCapabilityBlock } from '../../../core/compile/artifacts/capability/check-block.ts'
import { capabilityBlock } from '../../../core/compile/archive/capability.ts'
import {
  BuildCapabilityAnswer,
  BuildCapabilityBody,
  CapabilityView,
  ValidateCapabilityAnswer,
  ValidateCapabilityBody,
} from '../../../core/compile/wire/artifacts/capability.ts'
import { bareDocument, envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const limit = { name: 'capability', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' } as const

export const buildCapabilityRoute = defineRoute({
  method: 'post',
  path: '/v1/capability/build',
  operationId: 'buildCapability',
  group: 'artifacts',
  summary: 'Build a capability block',
  description:
    'The requirements of a machine with their hash. Lists are sorted, and empty fields are left out. A field that the block does not have is refused.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'none: it computes from the request alone',
  stores: 'bounded',
  limit,
  body: BuildCapabilityBody,
  answers: { 200: envelope('The block', BuildCapabilityAnswer) },
  errors: [],
}).handle(async ({ body }) => ({ status: 200, body: { block: CapabilityView.parse(capabilityBlock(body)) } }))

export const validateCapabilityRoute = defineRoute({
  method: 'post',
  path: '/v1/capability/validate',
  operationId: 'validateCapability',
  group: 'artifacts',
  summary: 'Validate a capability block',
  description:
    'Checks spec, every field, the order of the lists and the hash. An invalid block is an answer with `ok: false` that names the field.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'none: it computes from the request alone',
  stores: 'bounded',
  limit,
  body: ValidateCapabilityBody,
  answers: { 200: bareDocument('The block, or what is wrong with it', ValidateCapabilityAnswer) },
  errors: [],
}).handle(async ({ body, requestId }) => ({
  status: 200,
  body: { request_id: requestId, ...checkCapabilityBlock(body.block) },
}))
