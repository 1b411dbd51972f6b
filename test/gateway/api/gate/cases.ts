import { wavOf } from '../../../support/providers/audio.ts'
import { MODELS, type TestProvider } from '../inference/given-gateway.ts'

/** A question for each route that calls a model. A route that is missing here fails the first test. */
export const CASES: Readonly<
  Record<string, { readonly path: string; readonly to: TestProvider; readonly body: (text: string) => object }>
> = {
  createChatCompletion: { path: '/v1/chat/completions', to: 'openai', body: (text) => chat(MODELS.openai, text) },
  dispatchChatCompletion: {
    path: '/v1/gateway/dispatch',
    to: 'openai',
    body: (text) => chat(MODELS.openai, text),
  },
  routeChatCompletion: {
    path: '/v1/route/chat/completions',
    to: 'openai',
    body: (text) => chat(MODELS.openai, text),
  },
  createGeminiChatCompletion: {
    path: '/v1/gemini/chat/completions',
    to: 'google',
    body: (text) => chat(MODELS.google, text),
  },
  createOpenRouterChatCompletion: {
    path: '/v1/openrouter/chat/completions',
    to: 'openai',
    body: (text) => chat(MODELS.openai, text),
  },
  createResponse: {
    path: '/v1/responses',
    to: 'openai',
    body: (text) => ({
      model: MODELS.openai,
      input: [{ role: 'user', content: [{ type: 'input_text', text }] }],
      max_output_tokens: 10,
    }),
  },
  createMessage: {
    path: '/v1/messages',
    to: 'anthropic',
    body: messages,
  },
  wrapVerified: {
    path: '/v1/wrap/verified',
    to: 'anthropic',
    body: (text) => ({ ...messages(text), verified: { k: 2, test_cases: [{ input: text, expected: 'ok' }] } }),
  },
  createAnthropicMessage: { path: '/anthropic/v1/messages', to: 'anthropic', body: messages },
  generateContent: { path: `/v1/models/${MODELS.google}:generateContent`, to: 'google', body: contents },
  generateContentBeta: { path: `/v1beta/models/${MODELS.google}:generateContent`, to: 'google', body: contents },
  countMessageTokens: { path: '/v1/messages/count_tokens', to: 'anthropic', body: counted },
  countAnthropicMessageTokens: { path: '/anthropic/v1/messages/count_tokens', to: 'anthropic', body: counted },
  countContentTokens: { path: `/v1/models/${MODELS.google}:countTokens`, to: 'google', body: contents },
  countContentTokensBeta: {
    path: `/v1beta/models/${MODELS.google}:countTokens`,
    to: 'google',
    body: (text) => ({ generateContentRequest: contents(text) }),
  },
  embedContent: { path: '/v1/models/text-embedding-004:embedContent', to: 'google', body: content },
  embedContentBeta: { path: '/v1beta/models/text-embedding-004:embedContent', to: 'google', body: content },
  batchEmbedContents: { path: '/v1/models/text-embedding-3-small:batchEmbedContents', to: 'openai', body: batch },
  batchEmbedContentsBeta: { path: '/v1beta/models/text-embedding-004:batchEmbedContents', to: 'google', body: batch },
  createEmbeddings: {
    path: '/v1/embeddings',
    to: 'openai',
    body: (text) => ({ model: 'text-embedding-3-small', input: ['x', text] }),
  },
  createModeration: { path: '/v1/moderations', to: 'openai', body: (text) => ({ input: [{ type: 'text', text }] }) },
  createSpeech: {
    path: '/v1/audio/speech',
    to: 'openai',
    body: (text) => ({ model: 'tts-1', input: text, voice: 'alloy' }),
  },
  createTranscription: { path: '/v1/audio/transcriptions', to: 'openai', body: spoken },
  createTranslation: { path: '/v1/audio/translations', to: 'openai', body: spoken },
}

/** A sound with a text beside it, as a form. */
function spoken(text: string): FormData {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(wavOf([0, 1, 2, 3], 8000))], 'a.wav'))
  form.append('model', 'whisper-1')
  form.append('prompt', text)
  return form
}

function chat(model: string, text: string): object {
  return { model, max_tokens: 10, messages: [{ role: 'user', content: text }] }
}

function messages(text: string): object {
  return {
    model: MODELS.anthropic,
    max_tokens: 10,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  }
}

function counted(text: string): object {
  return { model: MODELS.anthropic, messages: [{ role: 'user', content: text }] }
}

function content(text: string): object {
  return { content: { parts: [{ text }] } }
}

function batch(text: string): object {
  return { requests: [{ model: 'models/another', ...content('x') }, content(text)] }
}

function contents(text: string): object {
  return { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: { maxOutputTokens: 10 } }
}

/** Routes whose errors are in the form of the service. */
export const PLAIN_ERRORS = new Set([
  'dispatchChatCompletion',
  'wrapVerified',
  'createSpeech',
  'createTranscription',
  'createTranslation',
])
/** Routes whose models have no known price here. */
export const UNPRICED = new Set([
  'createEmbeddings',
  'embedContent',
  'embedContentBeta',
  'batchEmbedContents',
  'batchEmbedContentsBeta',
  'createSpeech',
  'createTranscription',
  'createTranslation',
])
/** Routes that are free of charge. */
export const FREE = new Set([
  'createModeration',
  'countMessageTokens',
  'countAnthropicMessageTokens',
  'countContentTokens',
  'countContentTokensBeta',
])
