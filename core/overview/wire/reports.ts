import { z } from 'zod'
import { CHANGE_TAGS } from '../reports/changelog.ts'

/** The query of the changelog. */
export const ChangelogQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(20),
  since: z.iso.date().optional().meta({ description: 'Releases from this day on, and what is not released yet' }),
  tag: z.enum(CHANGE_TAGS).optional().meta({ description: 'Changes of this part of the product' }),
})

/** Answer of `GET /v1/changelog`. */
export const ChangelogAnswer = z.object({
  count: z.int(),
  total: z.int().meta({ description: 'Groups that match' }),
  latest: z.string().nullable().meta({ description: 'The newest release, `unreleased` for what has none' }),
  waves: z.array(
    z
      .object({
        wave: z.string().meta({ description: 'The release' }),
        date: z.iso.date().nullable(),
        title: z.string(),
        summary: z.string().meta({ description: 'The first change' }),
        changes: z.array(z.string()),
        tags: z.array(z.enum(CHANGE_TAGS)),
      })
      .meta({ id: 'ChangeGroup' }),
  ),
})

const MOST_TEXT = 8000
const Text = z.string().max(MOST_TEXT)
const Place = z.int().min(0).max(2_147_483_647)

/** Body of `POST /v1/client-error`. */
export const ClientErrorBody = z
  .object({
    message: Text.regex(/\S/, { error: 'must not be empty' }).meta({ description: 'Cut at 240 characters' }),
    source: Text.nullable().optional().meta({ description: 'Address of the script; cut at 240 characters' }),
    lineno: Place.nullable().optional(),
    colno: Place.nullable().optional(),
    stack: Text.nullable().optional().meta({ description: 'Cut at three lines and 600 characters' }),
    path: Text.nullable().optional().meta({ description: 'Path of the page; cut at 200 characters' }),
    ua: Text.nullable().optional().meta({ description: 'Name of the browser; of the header `User-Agent` when absent' }),
  })
  .meta({
    id: 'ClientError',
    example: { message: 'TypeError: x is undefined', source: '/console/main.js', lineno: 12, colno: 3 },
  })

/** Answer of `POST /v1/client-error`. */
export const ClientErrorAnswer = z.object({})

/** Answer of `GET /v1/admin/client-errors`. */
export const ListClientErrorsAnswer = z.object({
  errors: z.array(
    z
      .object({
        day: z.iso.date(),
        message: z.string(),
        source: z.string().nullable(),
        lineno: z.int().nullable(),
        colno: z.int().nullable(),
        stack: z.string().nullable(),
        path: z.string().nullable(),
        browser: z.string().nullable(),
        reports: z.int().meta({ description: 'Reports of this error on the day' }),
        first_at: z.iso.datetime(),
        last_at: z.iso.datetime(),
      })
      .meta({ id: 'ReportedClientError' }),
  ),
})
