import type { DomainError } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'

/** Reasons for refusing an archive. */
export const REFUSALS = {
  not_a_zip: 'it is not a zip file',
  archive_too_large: 'the archive is larger than allowed',
  too_many_entries: 'the archive has more members than allowed',
  malformed_zip: 'the zip structure is broken',
  prepended_data: 'there are bytes before the first member',
  trailing_data: 'there are bytes after the end record, or an archive comment',
  hidden_data: 'there are bytes that belong to no member',
  overlapping_entries: 'two members share bytes',
  multi_disk: 'the archive claims to be split over several disks',
  zip64: 'the zip64 form is not allowed',
  encrypted: 'a member is encrypted',
  unsupported_method: 'a member is compressed in a way that is not allowed',
  data_descriptor: 'a member hides its sizes in a data descriptor',
  invalid_name: 'a member name is not valid UTF-8 or has control characters',
  path_traversal: 'a member name leads out of the archive',
  duplicate_member: 'two members have the same name, or names that some systems take for the same',
  unknown_member: 'the archive holds a member that no archive has',
  missing_member: 'a member is missing',
  member_order: 'the members are not in the fixed order',
  symlink: 'a member is a symbolic link',
  special_file: 'a member is not a regular file',
  member_too_large: 'a member is larger than allowed',
  total_too_large: 'the members together are larger than allowed',
  compression_ratio: 'a member inflates further than allowed',
  header_mismatch: "a member's local header disagrees with the directory",
  nonstandard_header: 'a header has other fields than the format fixes',
  corrupt_data: 'the compressed data of a member is broken or longer than stated',
  checksum_mismatch: 'a member does not have its CRC-32',
  not_canonical: 'a JSON member is not in RFC 8785 form',
  invalid_document: 'a JSON member lacks fields or has wrong ones',
} as const

/** A machine word for why an archive is refused. */
export type Refusal = keyof typeof REFUSALS

/** An `invalid_archive` error with its reason, and the member where it is one member's fault. */
export function refuse(reason: Refusal, facts: { member?: string; cause?: unknown; note?: string } = {}): DomainError {
  const place = facts.member === undefined ? '' : `${facts.member}: `
  const note = facts.note === undefined ? '' : ` (${facts.note})`
  return COMPILE_ERRORS.invalid_archive(`${place}${REFUSALS[reason]}${note}`, {
    details: { reason, ...(facts.member === undefined ? {} : { member: facts.member }) },
    ...(facts.cause === undefined ? {} : { cause: facts.cause }),
  })
}
