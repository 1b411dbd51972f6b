import { readError, writeError } from '../chat-completions/errors.ts'
import type { CallerDialect, SpokenDialect } from '../dialect.ts'
import { readAnswer, writeAnswer } from './answer.ts'
import { readRequest } from './read-request.ts'
import { readStream } from './read-stream.ts'
import { writeStream, writeStreamError } from './write-stream.ts'

/**
 * OpenAI's responses. Requests are translated out of it and never into it: who answers in it also answers in chat
 * completions.
 */
export const responses: CallerDialect & SpokenDialect = {
  name: 'responses',
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  path: () => '/responses',
  readAnswer,
  readStream,
  readError,
  readRequest,
  writeAnswer,
  writeStream,
  writeError,
  writeStreamError,
}
