import type { Route } from '../../services.ts'
import { bakeOffAudioRoute } from './bake-off.ts'
import { detectAudioRoute, listAudioCapturesRoute } from './captures.ts'
import { speechRoute, transcriptionsRoute, translationsRoute } from './proxies.ts'
import { checkAudioTokenizerRoute, tokenizeAudioRoute } from './tokenize.ts'

/** The routes that call models of sound. */
export const AUDIO_PROXIES: readonly Route[] = [speechRoute, transcriptionsRoute, translationsRoute]

/** The other routes of sound. */
export const AUDIO_ROUTES: readonly Route[] = [
  tokenizeAudioRoute,
  checkAudioTokenizerRoute,
  detectAudioRoute,
  listAudioCapturesRoute,
  bakeOffAudioRoute,
]
