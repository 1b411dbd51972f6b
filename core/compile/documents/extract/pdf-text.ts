import { getDocumentProxy } from 'unpdf'
import { UnreadableDocument } from './extract-task.ts'

/** Pages that are read; those behind are left out when the text has reached its bound anyway. */
const MOST_PAGES = 5000

/** Returns the text layer of a PDF, page by page, up to about `mostChars`. Throws `UnreadableDocument`. */
export async function pdfText(bytes: Uint8Array, mostChars: number): Promise<string> {
  const pdf = await openPdf(bytes)
  const pages: string[] = []
  let chars = 0
  let broken = 0
  for (let number = 1; number <= Math.min(pdf.numPages, MOST_PAGES) && chars < mostChars; number++) {
    const text = await textOfPage(pdf, number)
    if (text === null) {
      broken++
      continue
    }
    chars += text.length
    pages.push(text)
  }
  const text = pages.join('\n\n')
  if (text.trim() === '' && broken > 0) throw new UnreadableDocument('is a damaged PDF: its pages cannot be read')
  if (text.trim() === '') throw new UnreadableDocument('has no text layer: its pages are pictures')
  return text
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      useSystemFonts: false,
      stopAtErrors: false,
      verbosity: 0,
    })
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException'
    throw new UnreadableDocument(isLocked ? 'is an encrypted PDF: save it without a password' : 'is a damaged PDF', {
      cause,
    })
  }
}

/** Null for a page that cannot be read: it does not take the others along. */
async function textOfPage(pdf: Pdf, number: number): Promise<string | null> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
  } catch {
    return null
  }
}
