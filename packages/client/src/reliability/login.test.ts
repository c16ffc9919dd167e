import { expect, test } from 'vitest'
import { Login, loginOf, rememberLogin, type LoginTokens } from './login.ts'

const pair = (turn: number): LoginTokens => ({ token: `t${turn}`, refreshToken: `r${turn}` })

test('many who are refused at the same time renew the tokens once', async () => {
  const login = new Login(pair(0))
  const asked: string[] = []
  const renewal = async (refreshToken: string) => {
    asked.push(refreshToken)
    return pair(1)
  }
  expect(await Promise.all([login.renew('t0', renewal), login.renew('t0', renewal)])).toEqual([true, true])
  // One whose request was on its way meanwhile has the old token still.
  expect(await login.renew('t0', renewal)).toBe(true)
  expect(asked).toEqual(['r0'])
  expect(login.token).toBe('t1')
})

test('what another page of the browser has renewed is taken from where both keep it', async () => {
  const login = new Login(pair(0))
  let kept: LoginTokens = pair(1)
  login.keep({ get: () => kept, set: (tokens) => (kept = tokens) })
  expect(await login.renew('t0', () => Promise.reject(new Error('This must not be asked.')))).toBe(true)
  expect(login.token).toBe('t1')
  expect(await login.renew('t1', async () => pair(2))).toBe(true)
  expect(kept).toEqual(pair(2))
})

test('a login that has ended renews nothing, and a failure can be tried again', async () => {
  const login = new Login(pair(0))
  expect(await login.renew('t0', async () => undefined)).toBe(false)
  await expect(login.renew('t0', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await login.renew('t0', async () => pair(1))).toBe(true)
})

test('a conversation that is given the token alone finds the login that it was opened with', () => {
  const login = rememberLogin({ token: 'known', refreshToken: 'r' })
  expect(loginOf('known')).toBe(login)
  expect(rememberLogin({ token: 'known', refreshToken: 'r' })).toBe(login)
  expect(loginOf('other')).toBeUndefined()
  expect(rememberLogin({ token: 'alone' })).toBeUndefined()
})
