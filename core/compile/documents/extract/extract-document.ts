import { chunkText } from '../chunk-text.ts'
import { EXTRACTED, modalityOf, type Modality } from '../modality.ts'
import { UnreadableDocument, type ExtractBounds, type ExtractedDocument } from './extract-task.ts'
import { htmlText } from './html-text.ts'
import { officeText } from './office-text.ts'
import { pdfText } from './pdf-text.ts'
import { decodeText, storableText } from './plain-text.ts'

/** Reads one document: its text in chunks, or the reason why there is none. */
export async function extractDocument(
  name: string,
  bytes: Uint8Array,
  bounds: ExtractBounds,
): Promise<ExtractedDocument> {
  const modality = modalityOf(name, bytes)
  if (!EXTRACTED.has(modality)) return unread(modality, `${modality} files have no text that this service extracts`)
  try {
    const whole = storableText(await textOf(modality, name, bytes, bounds))
    const text = whole.slice(0, bounds.textChars).toWellFormed()
    const reason = whole.length > text.length ? `only its first ${text.length} characters are indexed` : null
    return { modality, chunks: chunkText(text), characters: text.length, isExtracted: true, reason }
  } catch (error) {
    if (error instanceof UnreadableDocument) return unread(modality, error.message)
    throw error
  }
}

/** Returns the result of a document without a text. */
export function unread(modality: Modality, reason: string): ExtractedDocument {
  return { modality, chunks: [], characters: 0, isExtracted: false, reason }
}

async function textOf(modality: Modality, name: string, bytes: Uint8Array, bounds: ExtractBounds): Promise<string> {
  if (modality === 'pdf') return await pdfText(bytes, bounds.textChars)
  if (modality === 'office') return await officeText(name, bytes, bounds.inflatedBytes)
  const text = decodeText(bytes)
  return modality === 'html' ? htmlText(text) : text
}
