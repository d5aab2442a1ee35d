import DefaultTheme from "vitepress/theme";
import { makeRunnable } from "../../run/page.mjs";
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ router, siteData }) {
    if (typeof document === "undefined") return;
    const start = () => setTimeout(() => makeRunnable(document, siteData.value.base), 300);
    router.onAfterRouteChanged = start;
    start();
  },
};
