import type { Route } from '../services.ts'
import { AUDIO_PROXIES } from './audio/index.ts'
import { chatCompletionsRoute, geminiChatRoute, openRouterChatRoute } from './chat-completions.ts'
import { generateContentBetaRoute, generateContentRoute } from './generate-content.ts'
import { countMessageTokensAliasRoute, countMessageTokensRoute, messagesAliasRoute, messagesRoute } from './messages.ts'
import { CONTENT_METHOD_ROUTES } from './content-methods.ts'
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
  countMessageTokensRoute,
  countMessageTokensAliasRoute,
  ...CONTENT_METHOD_ROUTES,
  generateContentRoute,
  generateContentBetaRoute,
  embeddingsRoute,
  moderationsRoute,
  ...AUDIO_PROXIES,
  routedChatRoute,
  dispatchRoute,
]
