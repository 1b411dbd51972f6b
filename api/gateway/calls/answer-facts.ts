import type { AnswerFacts } from '../../../core/gateway/protocol/dialects/dialect.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import type { OpenCall } from './open-call.ts'

const ID_PREFIX = {
  'chat-completions': 'chatcmpl-',
  messages: 'msg_',
  'generate-content': '',
  responses: 'resp_',
} as const

/** The facts that an answer repeats, of the model that gives it. */
export function answerFacts({ dialect, requestId, body, facts }: OpenCall, model: string): AnswerFacts {
  const options = body['stream_options']
  return {
    id: `${ID_PREFIX[dialect.name]}${requestId}`,
    model,
    createdS: Math.floor(facts.at.getTime() / 1000),
    includesUsage: isJsonObject(options) && options['include_usage'] === true,
  }
}
