import type { Dialect } from '../dialect.ts'
import { readAnswer, writeAnswer } from './answer.ts'
import { readError, writeError, writeStreamError } from './errors.ts'
import { readRequest } from './read-request.ts'
import { readStream, writeStream } from './stream.ts'
import { writeRequest } from './write-request.ts'

/** OpenAI's chat completions, and every server that is compatible with them. The base address ends before `/chat`. */
export const chatCompletions: Dialect = {
  name: 'chat-completions',
  defaultBaseUrl: 'https://api.openai.com/v1',
  maxSamplesPerCall: 128,
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  path: () => '/chat/completions',
  writeRequest,
  readAnswer,
  readStream,
  readError,
  readRequest,
  writeAnswer,
  writeStream,
  writeError,
  writeStreamError,
}
