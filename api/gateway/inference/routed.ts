import { z } from 'zod'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import { FALLBACK_REASONS, reasonOf } from '../../../core/gateway/routing/route-facts.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { ArtifactId } from '../../../core/kernel/wire/ids.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { answerCall } from '../calls/answer-call.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'
import { defineRoute } from '../services.ts'
import { ChatBody } from '../../../core/gateway/wire/inference.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'

const RoutingWishes = z
  .strictObject({
    confidence_threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: "Confidence below which the artifact's answer is not used; the namespace's when absent" }),
    student_artifact: ArtifactId.optional().meta({
      description: "The artifact that is asked first; the namespace's when absent",
    }),
    teacher_model: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ description: 'The model that answers otherwise; `model` when absent' }),
  })
  .meta({ id: 'RoutingWishes' })

const RouteDecision = z
  .object({
    decision: z.object({
      route: z.enum(['student', 'teacher']),
      confidence: z.number().nullable(),
      reason: z.enum(['student_sure', 'no_student', ...FALLBACK_REASONS]),
    }),
    teacher_called: z.boolean(),
    confidence_threshold: z.number().nullable(),
    total_cost_usd: z.number().nullable().meta({ description: 'Null for a model without a known price' }),
  })
  .meta({ id: 'RouteDecision' })

export const routedChatRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/route/chat/completions',
  operationId: 'routeChatCompletion',
  summary: 'Complete a chat by an own artifact where it is sure, else by a model',
  description:
    'As `POST /v1/chat/completions`. The artifact of `svc_routing.student_artifact`, else that of the namespace, is asked first. Its answer is used when it does not abstain, the input is like those that it was evaluated on, and its calibrated confidence reaches the threshold. `svc_routing` of the answer says what was decided; a stream says it in its receipt.',
  errorShape: DIALECT_ERRORS['chat-completions'],
  body: ChatBody.extend({ svc_routing: RoutingWishes.optional() }).meta({ id: 'RoutedChatRequest' }),
  answers: {
    200: rawDocument(
      'The completion',
      z
        .looseObject({ choices: z.array(z.looseObject({})), svc_routing: RouteDecision })
        .meta({ id: 'RoutedCompletion' }),
      'text/event-stream',
    ),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const { svc_routing: wished, ...asked } = body
  const call = { services, principal, requestId, request, hangUp, dialect: CALLER_TABLE['chat-completions'] }
  const wishes = {
    ...(wished?.student_artifact !== undefined && { artifact_id: wished.student_artifact }),
    ...(wished?.confidence_threshold !== undefined && { confidence_threshold: wished.confidence_threshold }),
  }
  const target = targetOf(wished?.teacher_model ?? body.model, wished?.teacher_model === undefined ? 'model' : TEACHER)
  return await answerCall({
    ...call,
    body: jsonOf(asked),
    target,
    wishes,
    extend: (record) => ({ svc_routing: decisionOf(record, wished?.confidence_threshold ?? null) }),
  })
})

const TEACHER = 'svc_routing.teacher_model'

function decisionOf(
  { route, attempts, costMicros }: Pick<CallRecord, 'route' | 'attempts' | 'costMicros'>,
  threshold: number | null,
): z.input<typeof RouteDecision> {
  const isStudent = route.artifactId !== null
  const left = attempts.find(({ failure }) => failure !== null)
  const reason = isStudent ? 'student_sure' : ((left && reasonOf(left)) ?? 'no_student')
  return {
    decision: { route: isStudent ? 'student' : 'teacher', confidence: route.confidence, reason },
    teacher_called: !isStudent && route.cache !== 'hit',
    confidence_threshold: threshold,
    total_cost_usd: costMicros === null ? null : costMicros / 1e6,
  }
}

export const dispatchRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/gateway/dispatch',
  operationId: 'dispatchChatCompletion',
  summary: 'Complete a chat, with the receipt and the route in the answer',
  description:
    'As `POST /v1/chat/completions`. Behind the completion stand how the call was routed, and `svc_receipt`: the signed receipt, and its `signature` over the compact JSON of its other members. The receipt covers the text before `,"svc_receipt"`, closed by `}`. A stream has it in its last event, as everywhere.',
  body: ChatBody,
  answers: {
    200: rawDocument(
      'The completion',
      z
        .looseObject({
          choices: z.array(z.looseObject({})),
          svc_receipt: z
            .looseObject({
              signature: z.string().meta({ description: 'Ed25519, base64url, as in `X-Inference-Signature`' }),
            })
            .meta({ description: 'The receipt `svc-audit-1` with its signature' }),
          svc_route_decision: z.string(),
          svc_fallback_reason: z.string().nullable(),
          svc_attempts: z.array(z.looseObject({})),
        })
        .meta({ id: 'DispatchedCompletion' }),
      'text/event-stream',
    ),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const call = { services, principal, requestId, request, hangUp, dialect: CALLER_TABLE['chat-completions'] }
  return await answerCall({
    ...call,
    body: jsonOf(body),
    target: targetOf(body.model),
    extend: dispatched,
    showsReceipt: true,
  })
})

/** Attempts without what providers said: that may quote the prompt. */
function dispatched({ route, attempts, latencyMs }: Omit<CallRecord, 'outputHash'>): JsonObject {
  return {
    svc_route_decision: route.decision,
    svc_fallback_reason: route.fallbackReason,
    svc_attempts: attempts.map((attempt) => ({
      provider: attempt.provider,
      model: attempt.model,
      reason: reasonOf(attempt),
      status: attempt.status,
      ms: attempt.ms,
    })),
    svc_latency_ms: Math.round(latencyMs),
  }
}
