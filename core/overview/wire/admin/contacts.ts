import { z } from 'zod'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { Email } from '../../../accounts/wire/email.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'

const ContactView = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    note: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Contact' })

/** Answer of `/v1/admin/submissions`. */
export const AdminListSubmissionsAnswer = z.object({
  total: z.int(),
  submissions: z.array(ContactView),
  next_cursor: NextCursor,
})

/** Answer of `/v1/admin/waitlist`. */
export const AdminListWaitlistAnswer = z.object({
  total: z.int(),
  waitlist: z.array(ContactView),
  next_cursor: NextCursor,
})

/** Body of `/v1/waitlist`. */
export const JoinWaitlistBody = z.object({
  email: Email,
  name: textUpTo(100).optional(),
  note: textUpTo(1000).optional(),
})

/** Answer of `/v1/waitlist`. */
export const JoinWaitlistAnswer = z.object({})

/** Body of `/v1/submissions`. */
export const SubmitNoteBody = z.object({ email: Email, name: textUpTo(100).optional(), note: textUpTo(4000) })

/** Answer of `/v1/submissions`. */
export const SubmitNoteAnswer = z.object({})
