import { namedStatements, relaxed } from '@cool-ai/beach-core/postgres'

/** A process that has been silent for so long is gone. */
const goneMs = 30_000

export type Statements = ReturnType<typeof statements>

/** Every statement of the store. Those that write end with the parameter of `relaxed`, and may run twice. */
export function statements(schema: string) {
  // The head to append to, none when it is another one than expected. A dropped session goes on after its last seq.
  const head = (expected: string) => `
    CASE WHEN seq IS NULL OR last < seq THEN CASE WHEN ${expected} = 0 THEN coalesce(seq, 0) END
         WHEN last = ${expected} THEN last END AS head`

  // $1 session, $2 expected head, $3 count, $4 data. The row to add.
  const place = `
    newest AS (SELECT seq, last FROM ${schema}.event WHERE session = $1 ORDER BY seq DESC LIMIT 1),
    place AS (SELECT ${head('$2::bigint')} FROM (SELECT) AS one LEFT JOIN newest ON true),
    added AS (
      INSERT INTO ${schema}.event (session, seq, last, data)
      SELECT $1, head + 1, head + $3::bigint, $4 FROM place WHERE head IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING last)`

  // The earlier of two wakes stays. It counts only once the lease is given back.
  const wake = (at: string, now: string) => `
    UPDATE SET wake = least(own.wake, ${at}),
      since = CASE WHEN own.wake <= ${at} THEN own.since ELSE ${now} END,
      due = CASE WHEN own.owner IS NULL THEN least(own.wake, ${at}) ELSE own.due END`

  const interested = `
    SELECT process, session FROM ${schema}.follower WHERE session = ANY($1::text[]) AND process <> $2
    UNION SELECT process, session FROM ${schema}.session
    WHERE session = ANY($1) AND owner IS NOT NULL AND process <> $2`

  // Of all sessions that wait, and of those that are leased: both have an index.
  const wakesAhead = `(owner IS NOT NULL OR owner IS NULL AND due > $1::bigint) AND wake > $1::bigint AND 2 * since - wake > $1::bigint`

  const ifFree = (then: string, otherwise: string) =>
    `CASE WHEN own.owner IS NULL OR own.due <= $9::bigint THEN ${then} ELSE ${otherwise} END`

  // A notification holds less than 8,000 bytes, and a session's key takes up to 2,400 of them.
  const inParts = (found: string) => `
    SELECT process, session, sum(octet_length(session) + 1) OVER (PARTITION BY process ORDER BY session) / 5000 AS part
    FROM (${found}) AS found`

  return namedStatements('session', {
    append: `WITH ${place} SELECT last, ${relaxed(5)} FROM added`,
    // Lists of the same, of different sessions. In one order, so that no two of them wait for each other.
    appendMany: `
      INSERT INTO ${schema}.event (session, seq, last, data)
      SELECT session, head + 1, head + count, data FROM (
        SELECT asked.session, count, data, ${head('expected')}
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS asked (session, expected, count, data)
        LEFT JOIN LATERAL (
          SELECT seq, last FROM ${schema}.event WHERE event.session = asked.session ORDER BY seq DESC LIMIT 1) AS newest
        ON true) AS place
      WHERE head IS NOT NULL ORDER BY session COLLATE "C"
      ON CONFLICT DO NOTHING RETURNING session AS key, last, ${relaxed(5)}`,
    // $5 wake, $6 now
    appendAndWake: `
      WITH ${place},
      woken AS (
        INSERT INTO ${schema}.session AS own (session, due, wake, since) SELECT $1, $5, $5, $6::bigint FROM added
        ON CONFLICT (session) DO ${wake('$5::bigint', '$6::bigint')})
      SELECT last, ${relaxed(7)} FROM added`,
    // $5 owner, $6 process, $7 now, $8 lease ms, $9 the time by which leases are over, $10 count and $11 data of the claim
    appendAndClaim: `
      WITH ${place},
      leased AS (
        INSERT INTO ${schema}.session AS own (session, due, owner, process, ms)
        SELECT $1, $7::bigint + $8::integer, $5, $6, $8 FROM added
        ON CONFLICT (session) DO UPDATE SET owner = ${ifFree('$5', 'own.owner')}, process = ${ifFree('$6', 'own.process')},
          due = ${ifFree('$7 + $8', 'own.due')}, ms = ${ifFree('$8', 'own.ms')},
          wake = ${ifFree('NULL', 'least(own.wake, $7)')},
          since = ${ifFree('NULL', 'CASE WHEN own.wake <= $7 THEN own.since ELSE $7 END')}
        RETURNING owner = $5 AS mine),
      begun AS (
        INSERT INTO ${schema}.event (session, seq, last, data)
        SELECT $1, added.last + 1, added.last + $10::bigint, $11 FROM added, leased WHERE mine RETURNING last)
      SELECT coalesce((SELECT last FROM begun), added.last) AS last, mine, ${relaxed(12)} FROM added, leased`,
    newest: `SELECT seq, last, data FROM ${schema}.event WHERE session = $1 ORDER BY seq DESC LIMIT 1`,
    // An append of exactly this data after a seq.
    own: `SELECT last FROM ${schema}.event WHERE session = $1 AND seq > $2 AND data = $3 ORDER BY seq LIMIT 1`,
    owner: `SELECT owner FROM ${schema}.session WHERE session = $1`,
    // $2 after, $3 rows, $4 bytes: from the row that has the next event, until the rows before come to that much.
    read: `
      SELECT seq, last, data FROM (
        SELECT seq, last, data, sum(octet_length(data)) OVER (ORDER BY seq) - octet_length(data) AS before FROM (
          SELECT seq, last, data FROM ${schema}.event
          WHERE session = $1 AND last > $2::bigint AND last >= seq AND seq >= coalesce(
            (SELECT seq FROM ${schema}.event WHERE session = $1 AND seq <= $2 + 1 ORDER BY seq DESC LIMIT 1), 0)
          ORDER BY seq LIMIT $3) AS page) AS sized
      WHERE before < $4::bigint ORDER BY seq`,
    heads: `
      SELECT wanted.session, newest.last FROM unnest($1::text[]) AS wanted (session) CROSS JOIN LATERAL (
        SELECT last FROM ${schema}.event
        WHERE event.session = wanted.session ORDER BY seq DESC LIMIT 1) AS newest`,
    // $2 wake, $3 now
    wake: `
      INSERT INTO ${schema}.session AS own (session, due, wake, since) VALUES ($1, $2::bigint, $2, $3::bigint)
      ON CONFLICT (session) DO ${wake('$2', '$3')} RETURNING ${relaxed(4)}`,
    nextDue: `
      SELECT (SELECT due FROM ${schema}.session WHERE owner IS NOT NULL ORDER BY due LIMIT 1) AS lease,
        (SELECT due FROM ${schema}.session WHERE owner IS NULL AND due IS NOT NULL ORDER BY due LIMIT 1) AS wake`,
    // $1 now, $2 the time by which leases are over, $3 at most so many
    claimable: `
      (SELECT session FROM ${schema}.session WHERE owner IS NOT NULL AND due <= $2::bigint ORDER BY due LIMIT $3)
      UNION ALL
      (SELECT session FROM ${schema}.session WHERE owner IS NULL AND due <= $1::bigint ORDER BY due LIMIT $3)
      LIMIT $3`,
    // $2 owner, $3 process, $4 now, $5 lease ms, $6 the time by which leases are over
    claim: `
      UPDATE ${schema}.session SET owner = $2, process = $3, ms = $5::integer,
        due = $4::bigint + $5, wake = NULL, since = NULL
      WHERE session = $1 AND due IS NOT NULL AND
        CASE WHEN owner IS NULL THEN due <= $4 ELSE due <= $6::bigint OR owner = $2 END
      RETURNING ${relaxed(7)}`,
    // $3 until
    renew: `UPDATE ${schema}.session SET due = $3 WHERE session = $1 AND owner = $2 RETURNING ${relaxed(4)}`,
    // $3 wake, $4 now
    release: `
      UPDATE ${schema}.session SET owner = NULL, process = NULL, ms = NULL,
        wake = least(wake, $3::bigint), due = least(wake, $3),
        since = CASE WHEN wake <= $3 OR $3 IS NULL THEN since ELSE $4::bigint END
      WHERE session = $1 AND owner = $2 RETURNING due, ${relaxed(5)}`,
    // Written before the server's clock was set back. For a wake it is what `isOver` says of it.
    isAhead: `
      SELECT EXISTS (SELECT FROM ${schema}.session WHERE owner IS NOT NULL AND due > $1::bigint + ms)
        OR EXISTS (SELECT FROM ${schema}.session WHERE ${wakesAhead}) AS ahead`,
    cutLeases: `
      UPDATE ${schema}.session SET due = $1::bigint + ms WHERE owner IS NOT NULL AND due > $1::bigint + ms
      RETURNING ${relaxed(2)}`,
    cutWakes: `
      UPDATE ${schema}.session SET wake = $1::bigint, since = $1::bigint, due = CASE WHEN owner IS NULL THEN $1::bigint ELSE due END
      WHERE ${wakesAhead} RETURNING ${relaxed(2)}`,
    bind: `
      WITH bound AS (INSERT INTO ${schema}.key (key, value, at, long) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING value)
      SELECT value, ${relaxed(5)} FROM bound`,
    get: `SELECT value FROM ${schema}.key WHERE key = $1`,
    // Ordered by the column, which has an index, and not by the result of that name. The parameters are hidden from the
    // planner, which would otherwise plan each list anew, for longer than the list takes.
    list: `
      SELECT coalesce(long, key) AS key, value, at FROM ${schema}.key AS own
      WHERE key >= (SELECT $1::text) AND key < (SELECT $2::text) AND key > (SELECT $3::text) ORDER BY own.key LIMIT (SELECT $4::bigint)`,
    unbind: `DELETE FROM ${schema}.key WHERE key = $1 RETURNING ${relaxed(2)}`,
    // Sent twice, it finds its own value there.
    replace: `
      UPDATE ${schema}.key SET value = $3 WHERE key = $1 AND (value = $2 OR value = $3) RETURNING key, ${relaxed(4)}`,
    // A row without events stands for a log that was dropped.
    logs: `
      SELECT DISTINCT session FROM ${schema}.event WHERE session > $1 AND last >= seq ORDER BY session LIMIT $2::bigint`,
    saveSnapshot: `
      INSERT INTO ${schema}.snapshot AS own (session, seq, fold_version, state) VALUES ($1, $2, $3, $4)
      ON CONFLICT (session) DO UPDATE
      SET seq = excluded.seq, fold_version = excluded.fold_version, state = excluded.state
      WHERE excluded.seq >= own.seq RETURNING ${relaxed(5)}`,
    loadSnapshot: `SELECT seq, fold_version, state FROM ${schema}.snapshot WHERE session = $1 AND state <> ''`,
    // The row that has an event, locked: who waits for it sees afterwards what the one before has changed.
    holding: `
      SELECT seq, last, data FROM ${schema}.event WHERE session = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1 FOR UPDATE`,
    rewrite: `UPDATE ${schema}.event SET data = $3 WHERE session = $1 AND seq = $2`,
    dropEvents: `DELETE FROM ${schema}.event WHERE session = $1 RETURNING seq, last`,
    // At the place of the next append, so that one of the two finds it taken.
    keepLast: `
      INSERT INTO ${schema}.event (session, seq, last, data) VALUES ($1, $2::bigint + 1, $2, '')
      ON CONFLICT DO NOTHING RETURNING seq`,
    dropSession: `DELETE FROM ${schema}.session WHERE session = $1`,
    dropSnapshot: `DELETE FROM ${schema}.snapshot WHERE session = $1`,
    // $2 now: says that this process is here; forgets those that have been silent for long, and what they followed.
    beat: `
      WITH beat AS (
        INSERT INTO ${schema}.process (id, seen, host, pid) VALUES ($1, $2::bigint, $3, $4)
        ON CONFLICT (id) DO UPDATE SET seen = excluded.seen RETURNING xmax = 0 AS is_new),
      gone AS (DELETE FROM ${schema}.process WHERE abs($2 - seen) > ${goneMs} AND id <> $1 RETURNING id),
      forgotten AS (DELETE FROM ${schema}.follower WHERE process IN (SELECT id FROM gone))
      SELECT is_new, ARRAY(SELECT id FROM ${schema}.process WHERE id <> $1 AND abs($2 - seen) <= ${goneMs}) AS others,
        ${relaxed(5)} FROM beat`,
    processes: `SELECT id, seen, host, pid FROM ${schema}.process ORDER BY id`,
    leases: `SELECT session, process, due FROM ${schema}.session WHERE owner IS NOT NULL ORDER BY due LIMIT $1`,
    leave: `
      WITH left_ AS (DELETE FROM ${schema}.process WHERE id = $1),
      forgotten AS (DELETE FROM ${schema}.follower WHERE process = $1)
      SELECT ${relaxed(2)}`,
    // $1 sessions, $2 this process, $3 what channels begin with: also tells the hosts of these sessions.
    follow: `
      WITH added AS (
        INSERT INTO ${schema}.follower (session, process) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING)
      SELECT process, pg_notify($3 || process, '+' || $2 || E'\\n' || string_agg(session, E'\\n')), ${relaxed(4)}
      FROM (${inParts(`SELECT process, session FROM ${schema}.session WHERE session = ANY($1) AND owner IS NOT NULL AND process <> $2`)}) AS led
      GROUP BY process, part`,
    unfollow: `
      DELETE FROM ${schema}.follower WHERE session = ANY($1::text[]) AND process = $2 RETURNING ${relaxed(3)}`,
    // $1 sessions, $2 this process, $3 what channels begin with: tells the other processes that follow or hold them.
    announce: `
      SELECT process, array_agg(session) AS sessions,
        pg_notify($3 || process, 'a' || string_agg(session, E'\\n')), ${relaxed(4)}
      FROM (${inParts(interested)}) AS interested GROUP BY process, part`,
    interested: `SELECT process FROM (${interested}) AS interested`,
    notify: `SELECT pg_notify($1, piece), ${relaxed(3)} FROM unnest($2::text[]) AS piece`,
  })
}
