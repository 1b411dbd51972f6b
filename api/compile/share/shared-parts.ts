import { createPictures, type Pictures } from './picture/pictures.ts'
import { createSharedContents, type SharedContents } from './shared-contents.ts'

/** Parts of pages of share links, kept in memory. */
export interface SharedParts {
  readonly contents: SharedContents
  readonly pictures: Pictures
}

/** Opens the parts. */
export function createSharedParts(): SharedParts {
  return { contents: createSharedContents(), pictures: createPictures() }
}
