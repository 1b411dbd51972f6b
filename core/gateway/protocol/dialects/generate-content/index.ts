import type { Dialect } from '../dialect.ts'
import { readAnswer, writeAnswer } from './answer.ts'
import { readError, writeError, writeStreamError } from './errors.ts'
import { readRequest } from './read-request.ts'
import { readStream, writeStream } from './stream.ts'
import { writeRequest } from './write-request.ts'

/** Google's generate-content. */
export const generateContent: Dialect = {
  name: 'generate-content',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com',
  maxSamplesPerCall: 8,
  headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  path: (model, isStreamed) =>
    `/v1beta/models/${encodeURIComponent(model)}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
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
