import { inOwnRem, sheetOf } from './theme.ts'

const base = `
:host { font-family: var(--a2ui-font-family, inherit); color: var(--_text); background: var(--_ground); line-height: 1.5; }
:host([hidden]) { display: none; }
*, *::before, *::after { box-sizing: border-box; }
p, h2, h3, h4, h5, h6, ul, ol, figure, blockquote, pre, fieldset { margin: 0; padding: 0; border: 0; }
a { color: var(--_accent-text); text-underline-offset: 0.15em; }
:focus { outline: none; }
:focus-visible { outline: calc(var(--_stroke) + 1px) solid var(--_focus); outline-offset: 2px; }
.spoken { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.surface { position: relative; display: flex; flex-direction: column; gap: var(--_gap); min-width: 0; }
.agent { display: flex; align-items: center; gap: 0.5rem; font-size: 0.8125rem; color: var(--_muted); }
.agent img { width: 1.25rem; height: 1.25rem; border-radius: 0.25rem; }
.state { display: flex; align-items: center; gap: 0.5rem; font-size: 0.875rem; color: var(--_muted); }
.state::before { content: ''; flex: none; width: 0.625rem; height: 0.625rem; border-radius: 50%; background: currentColor; }
:host([data-state='busy']) .state::before { background: none; border: 2px solid currentColor; border-right-color: transparent; animation: turn 0.9s linear infinite; }
@keyframes turn { to { rotate: 1turn; } }
@media (prefers-reduced-motion: reduce) { .state::before { animation: none !important; } }
.fallback { white-space: pre-wrap; overflow-wrap: anywhere; }
`

const layout = `
beach-row, beach-column, beach-card, beach-list, beach-tabs, beach-text, beach-textfield, beach-checkbox,
beach-choicepicker, beach-slider, beach-datetimeinput, beach-video, beach-audioplayer {
  display: flex; flex-direction: column; min-width: 0;
}
[own] { display: block; min-width: 0; }
beach-row > *, beach-column > *, beach-card > * { flex: 1 1 auto; min-width: 0; }
.row { display: flex; flex-flow: row nowrap; gap: calc(var(--_gap) * 1.5); }
.column { display: flex; flex-direction: column; gap: var(--_gap); }
.column:has(> beach-textfield, > beach-datetimeinput, > beach-choicepicker, > beach-slider) { gap: calc(var(--_gap) * 1.75); }
.row > * { flex: 0 1 auto; }
.row:has(> beach-button), .row:has(> beach-card), .row:is([data-justify='start'], [data-justify='center']):has(> beach-text + beach-text) { flex-wrap: wrap; }
.row:has(> beach-column + beach-column) { gap: calc(var(--_gap) * 3); }
.row > beach-textfield, .row > beach-datetimeinput, .row > beach-slider, .row > beach-choicepicker { flex: 1 1 10rem; }
.row > beach-datetimeinput { flex-basis: 12rem; }
.row:has(> beach-textfield), .row:has(> beach-datetimeinput) { flex-wrap: wrap; }
.row > beach-icon, .row > beach-image { flex: none; }
.row > beach-divider:has(> hr) { flex: 1 1 1rem; align-self: center; }
[data-justify='center'] { justify-content: center; }
[data-justify='end'] { justify-content: end; }
[data-justify='spaceBetween'] { justify-content: space-between; }
[data-justify='spaceAround'] { justify-content: space-around; }
[data-justify='spaceEvenly'] { justify-content: space-evenly; }
.row[data-justify='stretch'] > * { flex: 1 1 0; }
.column[data-justify='stretch'] > * { flex: 1 1 auto; }
.row { align-items: center; }
[data-align='start'] { align-items: flex-start; }
[data-align='center'] { align-items: center; }
[data-align='end'] { align-items: flex-end; }
.row[data-align='stretch'] { align-items: stretch; }
.row[data-align='stretch']:not(:has(> :not(beach-text))) { align-items: baseline; }
.row[data-align='stretch'] > beach-icon, .row[data-align='stretch'] > beach-button, .row[data-align='stretch']:has(> :not(beach-text)) > beach-text { align-self: center; }
.column > beach-slider, .column > beach-textfield, .column > beach-choicepicker, .column > beach-datetimeinput, .column > beach-audioplayer { align-self: stretch; }
.column > beach-text + beach-text:has(> .caption) { margin-top: calc(var(--_gap) / -2); }
.column[data-align='stretch'] > beach-button, .column[data-align='stretch'] > beach-modal { align-self: flex-start; }
.column[data-align='center'] .text, .column[data-align='center'] > beach-text { text-align: center; }
.column[data-align='end'] > beach-text { text-align: end; }
.card { padding: calc(var(--_gap) * 2.5); border: var(--_stroke) solid var(--_line); border-radius: calc(var(--_radius) * 1.5); background: var(--_card); box-shadow: var(--_shadow); }
.card .card { box-shadow: none; padding: calc(var(--_gap) * 2); }
.list { display: flex; flex-direction: column; gap: var(--_gap); list-style: none; }
.list > li > * { min-width: 0; }
.list > li + li:has(> beach-column) { margin-top: var(--_gap); }
.list.ordered, .list.unordered { display: block; padding-inline-start: 1.5rem; }
.list.ordered { list-style: decimal; } .list.unordered { list-style: disc; }
.list.ordered > li + li, .list.unordered > li + li { margin-top: var(--_gap); }
.list.horizontal { display: flex; flex-direction: row; padding-block: 0.25rem; }
.list.horizontal > li { flex: none; max-width: 85%; }
.list[data-align='stretch'].horizontal > li > * { height: 100%; }
.scroll { overflow-x: auto; border-radius: var(--_radius); }
.divider { width: 100%; height: 0; margin: calc(var(--_gap) / 2) 0; border: 0; border-top: var(--_stroke) solid var(--_line); }
.divider.vertical { width: 0; height: auto; min-height: 1.25rem; margin: 0; border-top: 0; border-inline-start: var(--_stroke) solid var(--_line); }
beach-divider { display: flex; align-self: stretch; }
.column > beach-divider { display: block; }
@container (max-width: 30rem) {
  .card { padding: calc(var(--_gap) * 2); }
  .row { gap: var(--_gap); }
  .row:has(> beach-column[weighed] :is(.field, .card)) { flex-direction: column; align-items: stretch; }
  .row:has(> beach-column[weighed] :is(.field, .card)) > * { flex: none !important; }
  .row:has(> [weighed]:nth-child(4)) { font-size: 0.8125rem; }
  /* What takes the room that is left has enough of it for a word; the rest goes below. */
  .row:has(> beach-column[weighed] + beach-column:not([weighed])) { flex-wrap: wrap; }
  .row > beach-column[weighed]:has(+ beach-column:not([weighed])) { flex-basis: 12rem !important; }
  .row > beach-column[weighed] + beach-column:not([weighed]) { flex-grow: 1; }
}
`

const content = `
.text, .h1, .h2, .h3, .h4, .h5 { overflow-wrap: anywhere; min-width: 0; }
.h1, .h2, .h3, .h4, .h5 { font-family: var(--a2ui-font-family-title, inherit); line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
.h1 { font-size: 1.75rem; } .h2 { font-size: 1.375rem; } .h3 { font-size: 1.125rem; } .h4 { font-size: 1rem; } .h5 { font-size: 0.875rem; letter-spacing: 0; }
.caption { font-size: 0.8125rem; color: var(--_muted); line-height: 1.4; }
.text.body > * + * { margin-top: 0.5em; }
.text ul, .text ol { padding-inline-start: 1.4em; }
.text li + li { margin-top: 0.2em; }
.text .plain { white-space: pre-wrap; }
.text blockquote { padding-inline-start: 0.9em; border-inline-start: 3px solid var(--_line); color: var(--_muted); }
.text code, .text pre { font-family: var(--a2ui-font-family-monospace, ui-monospace, monospace); font-size: 0.9em; background: var(--_soft); color: var(--_on-soft); border-radius: 0.25rem; }
.text code { padding: 0.1em 0.3em; } .text pre { padding: 0.75em; overflow-x: auto; } .text pre code { padding: 0; }
.text table { border-collapse: collapse; } .text th, .text td { padding: 0.3em 0.7em; border: 1px solid var(--_line); text-align: start; }
.text hr { border: 0; border-top: var(--_stroke) solid var(--_line); }
beach-icon { display: inline-flex; }
.icon-box { display: inline-flex; align-items: center; justify-content: center; min-width: 1.25rem; color: var(--a2ui-icon-color, inherit); }
.icon { flex: none; width: var(--a2ui-icon-size, 1.25rem); height: var(--a2ui-icon-size, 1.25rem); fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.icon.solid { fill: currentColor; stroke-width: 1; }
.sign { font-size: 1.375rem; line-height: 1; }
beach-image { display: block; max-width: 100%; }
beach-image:has(> .mediumFeature, > .largeFeature, > .header) { width: 100%; }
.column[data-align='center'] > beach-image:has(> .mediumFeature) { width: min(100%, 15rem); }
.image { display: block; max-width: 100%; border-radius: var(--a2ui-image-border-radius, var(--_radius)); object-fit: cover; background: var(--_soft); }
.image[data-fit='contain'] { object-fit: contain; } .image[data-fit='fill'] { object-fit: cover; }
.image[data-fit='none'] { object-fit: none; } .image[data-fit='scaleDown'] { object-fit: scale-down; }
.image.icon { width: 1.5rem; height: 1.5rem; border-radius: 0.25rem; }
.image.avatar { width: 2.75rem; height: 2.75rem; border-radius: 50%; }
.image.smallFeature { width: 6rem; height: 6rem; }
.image.mediumFeature { width: 100%; max-height: 15rem; min-height: 4rem; }
.image.largeFeature { width: 100%; max-height: 24rem; min-height: 6rem; }
.image.header { width: 100%; height: 11rem; }
.row > beach-image:has(> .mediumFeature, > .largeFeature, > .header):not([weighed]) { flex: none; width: 5.5rem; }
.row > beach-image:not([weighed]) > :is(.mediumFeature, .largeFeature, .header) { min-height: 0; height: 5.5rem; }
.image.missing { border: var(--_stroke) solid var(--_line); display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 0.375rem; color: var(--_muted); font-size: 0.8125rem; text-align: center; padding: 0.5rem; overflow: hidden; }
.image.missing.icon, .image.missing.avatar { padding: 0; }
.image.missing.mediumFeature, .image.missing.largeFeature { min-height: 7rem; }
.video { width: 100%; max-height: 24rem; border-radius: var(--_radius); background: #000; }
.audio { display: flex; flex-direction: column; gap: 0.375rem; } .audio audio { width: 100%; } .audio figcaption { font-size: 0.875rem; color: var(--_muted); }
.elsewhere { display: flex; align-items: center; gap: 0.5rem; padding: 0.625rem 0.75rem; border-radius: var(--_radius); background: var(--_soft); color: var(--_on-soft); }
`

const controls = `
.button, .tab, .input, .option, .chip { font: inherit; color: inherit; }
.button { display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-height: 2.5rem; max-width: 100%; padding: 0.4375rem 1rem; border: var(--_stroke) solid var(--a2ui-button-border-color, var(--_line)); border-radius: var(--a2ui-button-border-radius, var(--_radius)); background: var(--_soft); color: var(--_on-soft); font-size: var(--a2ui-button-font-size, 1em); font-weight: var(--a2ui-button-font-weight, 550); line-height: 1.3; text-align: center; cursor: pointer; transition: filter 0.12s; }
.button:hover { filter: brightness(0.96); }
.button:active { filter: brightness(0.9); }
.button.primary { background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); }
.button.primary:hover { filter: brightness(1.08); }
.button.borderless { background: none; border-color: transparent; color: var(--_accent-text); padding-inline: 0.5rem; min-width: 2.5rem; }
.button.borderless:hover { background: var(--_soft); filter: none; }
.button[aria-disabled='true'] { opacity: 0.55; cursor: not-allowed; filter: none; }
:host([data-state='busy']) .button[aria-disabled='true'] { cursor: progress; }
.button .row { align-items: center; }
.button .caption, .button .icon-box { color: inherit; }
beach-button[weighed] > .button { align-self: stretch; }
beach-button { display: inline-flex; flex-direction: column; align-items: flex-start; gap: 0.25rem; max-width: 100%; }
.field { display: flex; flex-direction: column; gap: 0.3125rem; min-width: 0; }
.field > label, .slider-head > label, .choices > legend { font-size: 0.875rem; font-weight: 550; }
.choices > legend { margin-bottom: 0.375rem; }
.input { width: 100%; min-height: 2.5rem; padding: 0.4375rem 0.75rem; border: var(--_stroke) solid var(--_edge); border-radius: var(--_radius); background: var(--_input); color: var(--_on-input); }
/* What the browser writes shows while the field is used, and wherever it cannot be hidden. */
.date { position: relative; }
.date .written { display: none; position: absolute; inset: 0 2.5rem 0 calc(0.75rem + var(--_stroke)); align-items: center; overflow: hidden; white-space: nowrap; color: var(--_on-input); pointer-events: none; }
@supports selector(::-webkit-datetime-edit) {
  .date:not(:focus-within):has(.written:not(:empty)) .written { display: flex; }
  .date:not(:focus-within):has(.written:not(:empty)) .input::-webkit-datetime-edit { opacity: 0; }
}
textarea.input { resize: vertical; line-height: 1.45; }
.input:focus-visible { outline-offset: -1px; border-color: var(--_focus); }
.input[aria-invalid='true'] { border-color: var(--_problem); }
.input:disabled, .slider:disabled { opacity: 0.6; }
.hint { font-size: 0.8125rem; color: var(--_muted); }
.problem { font-size: 0.8125rem; color: var(--_problem); }
.problem { display: flex; align-items: flex-start; gap: 0.375rem; } .problem .icon { width: 1rem; height: 1rem; margin-top: 0.1em; }
.option { display: flex; align-items: flex-start; gap: 0.625rem; min-height: 2rem; padding-block: 0.25rem; font-size: 1rem; font-weight: inherit; cursor: pointer; }
.field > .option { font-weight: inherit; font-size: 1rem; }
.option input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0.1875rem 0 0; accent-color: var(--_accent); }
.options { display: flex; flex-direction: column; }
.chips { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.chip { position: relative; display: inline-flex; cursor: pointer; }
.chip input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.chip span { padding: 0.3125rem 0.875rem; border: var(--_stroke) solid var(--_edge); border-radius: 999px; background: var(--_card); font-size: 0.9375rem; }
.chip input:checked + span { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); }
.chip input:checked + span::before { content: ''; display: inline-block; width: 0.3em; height: 0.6em; margin: 0 0.5em 0.15em 0; border: solid currentColor; border-width: 0 2px 2px 0; rotate: 45deg; }
.chip input:focus-visible + span { outline: calc(var(--_stroke) + 1px) solid var(--_focus); outline-offset: 2px; }
.slider-head { display: flex; justify-content: space-between; gap: 1rem; }
.slider-head .value { margin-inline-start: auto; font-variant-numeric: tabular-nums; font-size: 0.875rem; color: var(--_muted); }
.slider { width: 100%; height: 1.5rem; margin: 0; accent-color: var(--_accent); }
.tabs { display: flex; flex-direction: column; gap: calc(var(--_gap) * 1.5); }
.tab-list { display: flex; gap: 0.25rem; overflow-x: auto; border-bottom: var(--_stroke) solid var(--_line); }
.tab { flex: none; min-height: 2.5rem; padding: 0.4375rem 0.875rem; border: 0; border-bottom: 3px solid transparent; background: none; color: var(--_muted); font-weight: 550; cursor: pointer; }
.tab:hover { color: var(--_text); }
.tab[aria-selected='true'] { color: var(--_accent-text); border-bottom-color: var(--_accent-text); }
.tab:focus-visible { outline-offset: -3px; border-radius: var(--_radius); }
.tab-panel[hidden] { display: none; }
.dialog { width: min(34rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); padding: 0; border: var(--_stroke) solid var(--_line); border-radius: calc(var(--_radius) * 1.5); background: var(--_card); color: var(--_text); box-shadow: 0 1rem 3rem rgb(0 0 0 / 0.3); overflow: auto; }
.dialog::backdrop { background: rgb(10 14 20 / 0.5); }
.dialog-content { position: relative; display: flex; flex-direction: column; padding: calc(var(--_gap) * 3); padding-top: 3rem; }
.dialog .close { position: absolute; top: 0.375rem; inset-inline-end: 0.375rem; color: var(--_muted); }
.trigger { display: inline-block; max-width: 100%; }
@media (forced-colors: active) { .chip input:checked + span { outline: 2px solid Highlight; } .button { border-color: ButtonBorder; } }
`

export const surfaceSheet = sheetOf(inOwnRem(base + layout + content + controls))
