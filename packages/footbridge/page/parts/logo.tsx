/** A footbridge: an arch, a deck, and a railing. */
export function Logo() {
  return (
    <svg
      class="logo"
      width="28"
      height="28"
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path class="logo-rail" d="M2.5 14.5C9 7.5 23 7.5 29.5 14.5" stroke-width="2" />
      <path class="logo-rail" d="M7 11.2v6.6M13 9.3v6.2M19 9.3v6.2M25 11.2v6.6" stroke-width="1.6" />
      <path d="M2.5 20.5C9 13.5 23 13.5 29.5 20.5" stroke-width="3" />
      <path class="logo-water" d="M4 26.5c2-1.6 4-1.6 6 0s4 1.6 6 0 4-1.6 6 0 4 1.6 6 0" stroke-width="1.8" />
    </svg>
  );
}
