import type { Route } from '../services.ts'
import {
  getCopyrightAllowlistRoute,
  listCopyrightQueueRoute,
  putCopyrightAllowlistRoute,
  scanCopyrightRoute,
} from './copyright.ts'
import { exportCapturesRoute, exportNamedCapturesRoute } from './exports.ts'
import { forgetCapturesRoute, listForgottenRoute } from './forgets.ts'
import { getCaptureHealthRoute } from './health.ts'
import { browseCapturesRoute, inspectCaptureRoute, listCapturesRoute } from './lists.ts'
import { logCapturesRoute, storeConversationRoute } from './recording/logs.ts'
import { storeMediaRoute } from './recording/media.ts'
import { storeMultimodalRoute } from './recording/multimodal.ts'
import { evaluateCaptureAccessRoute, getCapturePolicyRoute } from './policy.ts'
import { CAPTURE_PROXIES } from './recording/proxies.ts'
import { bulkCapturesRoute, reviewCaptureRoute, reviewCapturesRoute } from './reviews.ts'
import { getCaptureSnippetRoute } from './recording/snippets.ts'
import { streamCapturesRoute } from './stream.ts'
import { verifyCapturesRoute } from './verify.ts'

/** The routes of captures. */
export const CAPTURE_ROUTES: readonly Route[] = [
  listCapturesRoute,
  inspectCaptureRoute,
  reviewCaptureRoute,
  reviewCapturesRoute,
  browseCapturesRoute,
  bulkCapturesRoute,
  logCapturesRoute,
  storeConversationRoute,
  storeMultimodalRoute,
  storeMediaRoute,
  exportCapturesRoute,
  exportNamedCapturesRoute,
  streamCapturesRoute,
  forgetCapturesRoute,
  listForgottenRoute,
  verifyCapturesRoute,
  getCaptureHealthRoute,
  getCaptureSnippetRoute,
  getCapturePolicyRoute,
  evaluateCaptureAccessRoute,
  scanCopyrightRoute,
  listCopyrightQueueRoute,
  getCopyrightAllowlistRoute,
  putCopyrightAllowlistRoute,
  ...CAPTURE_PROXIES,
]
