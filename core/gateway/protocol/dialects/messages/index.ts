import type { Dialect } from '../dialect.ts'
import { readAnswer, writeAnswer } from './answer.ts'
import { readError, writeError, writeStreamError } from './errors.ts'
import { readRequest } from './read-request.ts'
import { readStream } from './read-stream.ts'
import { writeRequest } from './write-request.ts'
import { writeStream } from './write-stream.ts'

/** Protocol version: the newest that accepts a temperature, which samples need to differ. */
const VERSION = '2023-06-01'

/** Anthropic's messages. One sample per call. */
export const messages: Dialect = {
  name: 'messages',
  defaultBaseUrl: 'https://api.anthropic.com',
  maxSamplesPerCall: 1,
  headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': VERSION }),
  path: () => '/v1/messages',
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
