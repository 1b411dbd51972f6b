import { parseOffice } from 'officeparser'
import { endingOf } from '../modality.ts'
import { UnreadableDocument } from './extract-task.ts'

const TYPES = ['docx', 'pptx', 'xlsx', 'odt', 'odp', 'ods', 'rtf'] as const
const MOST_ENTRIES = 5000
const MOST_ELEMENTS = 2_000_000
/** The container of older and of encrypted office files. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

/**
 * Returns the text of an office file. Nothing is fetched, no picture is read, and the parts may inflate to `inflatedBytes`
 * only. Throws `UnreadableDocument`.
 */
export async function officeText(name: string, bytes: Uint8Array, inflatedBytes: number): Promise<string> {
  const fileType = TYPES.find((type) => type === endingOf(name)) ?? 'rtf'
  if (Buffer.from(bytes.subarray(0, COMPOUND.length)).equals(COMPOUND)) {
    throw new UnreadableDocument('is protected by a password or in an old format: save it in the current one without')
  }
  try {
    const parsed = await parseOffice(Buffer.from(bytes), {
      fileType,
      ocr: false,
      extractAttachments: false,
      decompressionLimits: {
        maxUncompressedBytes: inflatedBytes,
        maxZipEntries: MOST_ENTRIES,
        maxXmlElements: MOST_ELEMENTS,
      },
    })
    return (await parsed.to('text', { includeImages: false })).value
  } catch (cause) {
    throw new UnreadableDocument(
      isTooLarge(cause)
        ? `inflates to more than ${inflatedBytes} bytes, or holds too many parts`
        : `is no readable .${fileType} file`,
      { cause },
    )
  }
}

/** The library tells a file beyond its limits from a broken one by a code. */
function isTooLarge(error: unknown): boolean {
  const issue: unknown = error instanceof Error && 'officeIssue' in error ? error.officeIssue : undefined
  const code = typeof issue === 'object' && issue !== null && 'code' in issue ? String(issue.code) : ''
  return /LIMIT|SIZE/.test(code)
}
