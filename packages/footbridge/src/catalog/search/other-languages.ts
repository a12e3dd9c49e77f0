/** What people who do not write in English call a thing, without accents, and English words for it. Ideographs stand in pairs. One way only. */
export const OTHER_LANGUAGES = `
rechnung rechnungen facture factures factura facturas fattura fatture 发票 請求: invoice billing
ubersetzen ubersetzung ubersetze traduire traduction traducir traduccion traduzir traducao tradurre 翻译 翻訳 перевод: translation localization
bild bilder imagen imagenes imagem imagens immagine immagini 图片 图像 画像 写真 изображение: image photo
folien vortrag prasentation diapositives diapositivas presentacion apresentacao presentazione 幻灯 演示: presentation slide
tabellenkalkulation tableur planilha "hoja de calculo" "foglio di calcolo" 表格: spreadsheet excel
datenbank "base de donnees" "base de datos" "banco de dados" 据库: database sql; daten donnees datos dados dati 数据 данные: data
fehler fehlern erreur erreurs errore errori fallo fallos 错误 报错 ошибка: debug error
beheben reparieren corriger arreglar corrigir 修复 修正: fix debug
sicherheit securite seguridad seguranca sicurezza 安全 безопасность: security; angriff attaque ataque attacco 攻击 攻撃: attack security
prufen uberprufen verifier verificar verificare 检查 確認 проверить: verification review
pruebas testes "test unitaires" 测试 试验 тесты: test testing
schreiben verfassen ecrire rediger escribir redactar escrever scrivere 写作 撰写 написать: writing
zusammenfassen zusammenfassung resumer resumir resumen resumo riassumere 总结 摘要 要約: summary summarize
suchen suche chercher buscar 搜索 検索 поиск: search; forschung investigacion pesquisa ricerca 研究 исследование: research
webseite webseiten "site web" "pagina web" "sitio web" 网站 网页 саит: website web frontend; bericht informe relatorio 报告 報告 отчет: report
vertrag vertrage contrat contrats contrato contratos contratto 合同 契約 договор: contract legal
kunde kunden cliente clientes 客户 顧客: customer; verkauf vertrieb ventes ventas vendas vendite 销售 営業 продажи: sales
preis preise prix precio precios preco prezzo 价格 定价 価格: pricing
rezept rezepte recette recettes receta recetas receita ricetta 食谱 菜谱: recipe cooking
reise viaje viajes viagem viaggio 旅行: travel itinerary
lernen unterricht apprendre enseigner aprender ensenar imparare 学习 教学 学習: learning teach education
datei dateien fichier fichiers archivo archivos: file; planen planung planifier planificar planejar pianificare 计划 规划 計画: planning
anforderungen exigences requisitos requisiti 需求 要件: requirements; veroffentlichen bereitstellen deployer desplegar 部署 发布: deploy release
langsam schneller rapide rapido 性能 优化 最適: performance optimization
datenschutz confidentialite privacidad privacidade dsgvo rgpd 隐私: privacy gdpr
barrierefrei barrierefreiheit accesibilidad acessibilidade 障碍: accessibility
zeichnen dessiner dibujar desenhar disegnare 绘图 绘画: drawing illustration; diagramm schaubild diagramme diagrama 图表 流程: diagram chart
musik musique musica 音乐 音楽: music; 视频 動画 видео: video; stimme voix voz 语音 音声: voice speech audio
spiel spiele jeux juego jogo gioco 游戏 игра: game; uberwachen uberwachung surveiller 监控 監視: monitoring
besprechung sitzung reuniao riunione 会议 会議: meeting; nachricht correo courriel 邮件 письмо: email
steuer steuern impots impuestos imposto 税务 税金: tax accounting
buchhaltung comptabilite contabilidad contabilidade 会计 会計: accounting finance; aktie aktien bourse acciones azioni 股票 株式: stock trading
werbung publicite publicidad 营销 广告 広告 реклама: marketing advertising; lebenslauf bewerbung candidature 简历 履歴: resume job
roman geschichte historia storia 小说 故事 小説: story fiction; quellcode codigo codice 代码: code
entwerfen gestalten concevoir disenar diseno progettare 设计 設計: design; vergleichen comparer comparar confrontare 比较 比較: comparison
erklaren expliquer explicar spiegare 解释 説明: explain; automatisieren automatiser automatizar 自动 自動: automation
erstellen erzeugen creer crear criar creare 生成 创建 作成: create generate; analysieren analyser analizar analisar 分析 анализ: analysis
dokumentation documentacion documentacao documentazione 文档 文書: documentation
bezahlen zahlung zahlungen paiement pagos pagamento 支付 付款 支払: payment; aufteilen diviser dividir dividere 拆分 分割: split
zusammenfuhren fusionner fusionar unire 合并 結合: merge; wetter meteo tiempo clima 天气 天気: weather
`;
