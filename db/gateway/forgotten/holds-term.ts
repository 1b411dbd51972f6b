import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { inlineMedia, readUri, type InlineMedia } from '../../../core/gateway/protocol/media/inline-media.ts'
import { isEncoded, mediaText } from '../../../core/gateway/protocol/media/media-text.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'

/** Returns true when a text of the value, at any depth, holds one of the terms; also a text in a file of a body. */
export function holdsTerm(value: Json, finder: TermFinder): boolean {
  if (typeof value === 'string') return textHolds(value, readUri(value), finder)
  if (typeof value !== 'object' || value === null) return false
  if (!isJsonObject(value)) return (value as readonly Json[]).some((each) => holdsTerm(each, finder))
  return Object.entries(value).some(([name, each]) =>
    typeof each === 'string'
      ? textHolds(each, inlineMedia(name, value) ?? readUri(each), finder)
      : holdsTerm(each, finder),
  )
}

function textHolds(text: string, media: InlineMedia | null, finder: TermFinder): boolean {
  if (media === null) return isIn(text, finder)
  if (isIn(media.head, finder)) return true
  const inside = mediaText(media)
  if (inside !== null && isIn(inside.text, finder)) return true
  // Nothing is written in base64 itself.
  return !isEncoded(media) && isIn(text, finder)
}

function isIn(text: string, finder: TermFinder): boolean {
  let isFound = false
  finder.find(text, () => {
    isFound = true
  })
  return isFound
}
