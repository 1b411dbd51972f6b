import type { AnswerFacts } from '../../../core/gateway/protocol/dialects/dialect.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { newResponseId } from '../../../core/gateway/protocol/dialects/responses/references.ts'
import type { GatedCall } from '../gate/pass-gate.ts'
import { keepsResponse } from './ask/keep-response.ts'

const ID_PREFIX = {
  'chat-completions': 'chatcmpl-',
  messages: 'msg_',
  'generate-content': '',
} as const

/** The facts that an answer repeats, of the model that gives it. */
export function answerFacts(call: GatedCall, model: string): AnswerFacts {
  const { dialect, requestId, body, facts } = call
  const options = body['stream_options']
  return {
    id: dialect.name === 'responses' ? newResponseId() : `${ID_PREFIX[dialect.name]}${requestId}`,
    model,
    createdS: Math.floor(facts.at.getTime() / 1000),
    includesUsage: isJsonObject(options) && options['include_usage'] === true,
    isKept: keepsResponse(call),
    previousId: call.continued?.previousId ?? null,
  }
}
