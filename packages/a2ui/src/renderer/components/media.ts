import { AudioPlayerApi, ImageApi, VideoApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { component, plainComponent, type View } from '../component-element.ts'
import { iconSvg } from './icon.ts'
import { link } from '../markdown.ts'
import { oneOf, spokenOf, textOf } from '../values.ts'

const variants = ['mediumFeature', 'icon', 'avatar', 'smallFeature', 'largeFeature', 'header'] as const
const fits = ['fill', 'contain', 'cover', 'none', 'scaleDown'] as const

export const image = component(
  ImageApi,
  () => ({ failed: '' }),
  ({ props, surface, local, change }) => {
    const url = textOf(props.url)
    const source = surface.source(url)
    const described = spokenOf(props.accessibility).label ?? textOf(props.description)
    const shape = oneOf(props.variant, variants)
    if (source === undefined || local.failed === url) {
      const isSmall = shape === 'icon' || shape === 'avatar'
      return html`<div
        class="image missing ${shape}"
        role=${described === '' ? nothing : 'img'}
        aria-label=${described === '' ? nothing : described}
        aria-hidden=${described === '' ? 'true' : nothing}
      >
        ${iconSvg('photo')}${isSmall ? nothing : html`<span>${described}</span>`}
      </div>`
    }
    return html`<img
      class="image ${shape}"
      data-fit=${oneOf(props.fit, fits)}
      src=${source}
      alt=${described}
      loading="lazy"
      decoding="async"
      referrerpolicy="no-referrer"
      @error=${() => change({ failed: url })}
    />`
  },
)

export const video = plainComponent(VideoApi, (view) => {
  const name = spokenOf(view.props.accessibility).label ?? 'Video'
  const source = view.surface.source(textOf(view.props.url))
  if (source === undefined) return elsewhere(view, name)
  return html`<video class="video" controls preload="metadata" playsinline aria-label=${name} src=${source}></video>`
})

export const audioPlayer = plainComponent(AudioPlayerApi, (view) => {
  const description = textOf(view.props.description)
  const name = spokenOf(view.props.accessibility).label ?? (description === '' ? 'Audio' : description)
  const source = view.surface.source(textOf(view.props.url))
  if (source === undefined) return elsewhere(view, name)
  return html`<figure class="audio">
    ${description === '' ? nothing : html`<figcaption>${description}</figcaption>`}
    <audio controls preload="metadata" aria-label=${name} src=${source}></audio>
  </figure>`
})

/** A film or sound that may not be loaded here can still be opened by the user. */
function elsewhere({ props }: View<object>, name: string) {
  return html`<p class="elsewhere">${iconSvg('play')}<span>${link(textOf(props.url), name)}</span></p>`
}
