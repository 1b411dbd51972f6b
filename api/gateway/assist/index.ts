import type { Route } from '../services.ts'
import { assistantChatRoute, assistantRoute, chatDocsRoute } from './assistant/routes.ts'
import { freeAllowlistRoute, freeChatRoute, freeCommandRoute } from './free/routes.ts'
import {
  deleteConversationRoute,
  getConversationRoute,
  listConversationsRoute,
  saveConversationRoute,
} from './conversations.ts'

/** The routes of conversations, of the assistant, and of what is free. */
export const ASSIST_ROUTES: readonly Route[] = [
  listConversationsRoute,
  saveConversationRoute,
  getConversationRoute,
  deleteConversationRoute,
  assistantRoute,
  assistantChatRoute,
  chatDocsRoute,
  freeChatRoute,
  freeCommandRoute,
  freeAllowlistRoute,
]
