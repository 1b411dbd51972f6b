import type { Route } from '../services.ts'
import { AUDIO_PROXIES } from './audio/index.ts'
import { chatCompletionsRoute, geminiChatRoute, openRouterChatRoute } from './chat-completions.ts'
import { generateContentBetaRoute, generateContentRoute } from './generate-content.ts'
import { messagesAliasRoute, messagesRoute } from './messages.ts'
import { embeddingsRoute, moderationsRoute } from './plain.ts'
import { responsesRoute } from './responses.ts'
import { dispatchRoute, routedChatRoute } from './routed.ts'

/** The routes that call models. */
export const INFERENCE_ROUTES: readonly Route[] = [
  chatCompletionsRoute,
  geminiChatRoute,
  openRouterChatRoute,
  responsesRoute,
  messagesRoute,
  messagesAliasRoute,
  generateContentRoute,
  generateContentBetaRoute,
  embeddingsRoute,
  moderationsRoute,
  ...AUDIO_PROXIES,
  routedChatRoute,
  dispatchRoute,
]
